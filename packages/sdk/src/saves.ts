/** Save generations of rooms, for tools of a game's developer: `@atrium/sdk/saves`. */
export { readSave, type ReadSave } from "./room/ReadSave.ts"
