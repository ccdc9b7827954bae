import { Unsupported } from "../check/Expect.ts"
import type { RoomSocket, SocketOptions } from "./RoomSocket.ts"
import type { Trial } from "./Trial.ts"

/** Connects a client to a room. */
export const openRoomSocket = (_trial: Trial, _options: SocketOptions): Promise<RoomSocket> =>
  Promise.reject(new Unsupported("no room codec"))
