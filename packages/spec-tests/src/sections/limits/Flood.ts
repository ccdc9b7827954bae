import type { RoomSocket } from "../../trial/RoomSocket.ts"

export const floodBytes = 64 * 1024

/** More than the kernels of both sides hold for a connection, and the budget. */
export const muchBytes = 24 * 1024 * 1024

/** The room says so much to all of its clients, a MiB at a time. */
export const flood = async (reader: RoomSocket, bytes: number): Promise<void> => {
  for (let left = Math.floor(bytes / floodBytes); left > 0; left -= 16) {
    await reader.call("flood", { bytes: floodBytes, count: Math.min(left, 16) })
  }
}
