/** Clips and recordings of rooms, drawn by the game's own page: `@atrium/sdk/replay`. */
export { openReplay } from "./replay/OpenReplay.ts"
export type { Replay, WatchedRoom } from "./replay/Replay.ts"
