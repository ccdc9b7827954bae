/** Save generations of rooms, for tools of a game's developer: `@atrium/sdk/saves`. */
export { readSave } from "@atrium/runtime/room/ReadSave"
