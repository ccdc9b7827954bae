import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { utf8Length } from "@atrium/wire/text/Utf8"

import { Reports } from "../host/RoomReports.ts"
import type { RoomCore } from "./RoomCore.ts"

/** `room.lobby.setMetadata`. What is shown already is not told again. Source: C-563. */
export const lobbyMetadataOf = (core: Pick<RoomCore, "start" | "send">) => {
  let shown = core.start.lobbyMetadata
  return (value: unknown): void => {
    const metadata = value === null ? null : jsonOf(value)
    // An older service does not say what it shows: it would end the room for metadata.
    if (shown === undefined || metadata === shown) return
    shown = metadata
    core.send(Reports.lobby({ metadata }))
  }
}

const jsonOf = (value: unknown): string => {
  // A text of JSON for all values but these three.
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError(`lobby.setMetadata: ${typeof value} is no JSON`)
  const bytes = utf8Length(json)
  const { max } = RuntimeLimits.lobbyMetadataBytes
  if (bytes > max) throw new RangeError(`lobby.setMetadata: ${bytes} bytes of JSON, at most ${max}`)
  return json
}
