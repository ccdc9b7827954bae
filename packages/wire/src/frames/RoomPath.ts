/** The path of a room's WebSocket, below the address of its service. */
export const roomPath = (project: string, room: string): string => `/v1/rooms/${project}/${room}`

/** The path and query of a room's address: the project and the room, as they stand in the address. */
export const roomAddress = new RegExp(`^${roomPath("([^/?#]+)", "([^/?#]+)")}(?:[?#]|$)`)
