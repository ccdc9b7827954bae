import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { Client } from "../Client.ts"
import { FakeRoomServer } from "./FakeRoomServer.ts"
import { FakeTime } from "./FakeTime.ts"

/** For tests: a fake server, and a client that has joined its room in virtual time. */
export const joinedRoom = async <S extends AnyRoomSchema>(schema: S) => {
  const server = await FakeRoomServer.open(schema)
  const time = new FakeTime()
  const room = await new Client(server.url, { token: "t" }, time.port()).joinOrCreate(schema)
  return { server, time, room, peer: await server.peer() }
}

/** The reason of a rejected promise, or an error that says that it was not rejected. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error("it was not rejected"),
    (error: unknown) => error
  )
