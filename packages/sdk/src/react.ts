/** Rooms in React: `@atrium/sdk/react`. */
export { useField } from "./react/useField.ts"
export { useRecords } from "./react/useRecords.ts"
export { useRoom } from "./react/useRoom.ts"
export type { RoomStatus } from "./react/RoomStay.ts"
