import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"

/** The settings of a room as they are typed. No route tells whether the lobby lists a room: `listed` is empty at first. */
export interface TypedRoom {
  readonly retention: string
  /** `true`, `false`, or empty: as it is. */
  readonly listed: string
}

/** The body of a PATCH that makes the room what is typed. The service judges the text of the retention. */
export const changedRoom = (
  { retentionOverride }: Pick<RoomDetail, "retentionOverride">,
  { retention, listed }: TypedRoom
): { readonly retention?: string | null; readonly public?: boolean } => {
  const wanted = retention.trim() === "" ? null : retention.trim()
  return {
    ...(wanted === retentionOverride ? {} : { retention: wanted }),
    ...(listed === "" ? {} : { public: listed === "true" })
  }
}
