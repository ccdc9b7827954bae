import type { LogIngest } from "@atrium/domain/logs/LogIngest"
import type { RoomKey } from "@atrium/domain/shared/Ids"

import type { StartOrder } from "../servers/ServerProtocol.ts"
import type { RoomGate } from "./RoomGate.ts"

/** One start of a room, with all that its parts need to know of it. */
export interface IncarnationStart {
  readonly key: RoomKey
  readonly order: StartOrder
  readonly gate: RoomGate
  /** The bytes that the room's project may still log. */
  readonly ingest: LogIngest
}
