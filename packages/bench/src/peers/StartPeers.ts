import type { Servers } from "@atrium/api/testing/load/Servers"

import { Colyseus } from "./Colyseus.ts"
import type { Peer } from "./Peer.ts"
import { SocketIo } from "./SocketIo.ts"

/** Starts a fresh process of each peer. @param folder of {@link installPeers} */
export const startPeers = (servers: Servers, folder: string): Promise<ReadonlyArray<Peer>> =>
  Promise.all([Colyseus.start(servers, folder), SocketIo.start(servers, folder)])
