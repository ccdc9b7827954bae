/** Tests of rooms without a service, in virtual time: `@atrium/sdk/testing`. */
export type { HarnessBoard, HarnessRow } from "./testing/HarnessBoards.ts"
export type { HarnessNetwork, HarnessWay } from "./testing/HarnessSocket.ts"
export type { HarnessLobby, HarnessOptions, HarnessPlayer } from "./testing/HarnessOptions.ts"
export { RoomHarness } from "./testing/RoomHarness.ts"
