import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

/** Why a relay room does not do what a frame asks; the connection stays. */
export interface RelayRefusal {
  readonly code: string
  readonly message: string
}

const refusal = (code: string, message: string): RelayRefusal => ({ code, message })

/** What a relay room refuses, and how it says so. Source: docs/protocol.md, Errors. */
export const RelayRefusals = {
  badMessage: (message: string) => refusal(RoomRefusals.badMessage.code, message),
  rejected: (message: string) => refusal(RoomRefusals.writeRejected.code, message),
  notOwner: (record: string) =>
    refusal(RoomRefusals.notOwner.code, `${record}: another client owns it`),
  writeRate: refusal(RoomRefusals.writeRate.code, "write: more than 35 ops a second"),
  recordCap: (collection: string) =>
    refusal(RoomRefusals.recordCap.code, `${collection}: the collection has 1024 records`),
  stateCap: refusal(RoomRefusals.stateCap.code, "write: the room's state would be over 512 KB"),
  relayBytes: refusal("E_RATE_LIMITED", "more than 256 KB a second"),
  ownershipRequests: refusal("E_RATE_LIMITED", "own: 64 records are asked for already"),
  viewerSends: refusal("E_RATE_LIMITED", "send: more than 2 messages a second")
} as const
