import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

/** Why a relay room does not do what a frame asks; the connection stays. */
export interface RelayFault {
  readonly code: string
  readonly message: string
}

const fault = (code: string, message: string): RelayFault => ({ code, message })

/** What a relay room refuses, and how it says so. Source: docs/protocol.md, Errors. */
export const RelayFaults = {
  badMessage: (message: string) => fault(RoomRefusals.badMessage.code, message),
  rejected: (message: string) => fault(RoomRefusals.writeRejected.code, message),
  notOwner: (record: string) =>
    fault(RoomRefusals.notOwner.code, `${record}: another client owns it`),
  writeRate: fault(RoomRefusals.writeRate.code, "write: more than 35 ops a second"),
  recordCap: (collection: string) =>
    fault(RoomRefusals.recordCap.code, `${collection}: the collection has 1024 records`),
  stateCap: fault(RoomRefusals.stateCap.code, "write: the room's state would be over 512 KB"),
  relayBytes: fault("E_RATE_LIMITED", "more than 256 KB a second"),
  asks: fault("E_RATE_LIMITED", "own: 64 records are asked for already"),
  viewerSends: fault("E_RATE_LIMITED", "send: more than 2 messages a second")
} as const
