/** The facts that decide whether a room is inert: an inert room changes nothing outside of itself. Source: D-58, D-60. */
export interface RoomOfProject {
  readonly projectId: string
  readonly roomId: string
  /** It was made from a save of another room. */
  readonly isBranch: boolean
}

/** Whether the id has the form of the playground's rooms: `playground-` and 8 random hex digits. */
export const isPlaygroundId = (roomId: string): boolean => /^playground-[0-9a-f]{8}$/.test(roomId)

/**
 * Whether the room may change nothing outside of itself: a branch, or a room of the playground. In `dev` every room
 * is for trying, and acts as its code says.
 */
export const isInert = ({ projectId, roomId, isBranch }: RoomOfProject): boolean =>
  isBranch || (projectId !== "dev" && isPlaygroundId(roomId))

/** Why a player may not enter a room; `null` = the player may. Only test players enter inert rooms. */
export const entryBar = (room: RoomOfProject, isTestPlayer: boolean): string | null => {
  if (isInert(room)) return isTestPlayer ? null : "the room is for test players alone"
  if (!isTestPlayer || room.projectId === "dev") return null
  return "a test player enters rooms of dev, branches and rooms of the playground"
}
