/** The open list of a project's rooms: `@atrium/sdk/rooms`. */
export {
  type ListedRoom,
  type RoomFilter,
  type RoomList,
  rooms,
  type RoomsOptions
} from "./rooms/Rooms.ts"
