import { hogRoomIn } from "./HogRoom.ts"

export const sharedHogRoom = hogRoomIn({ sharing: true })
