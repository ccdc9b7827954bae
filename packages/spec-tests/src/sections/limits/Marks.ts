import type { RoomSocket } from "../../trial/RoomSocket.ts"

/** A mark in a room, which this client owns. */
export const markOf = async (client: RoomSocket, n = 1): Promise<number> => {
  const [key = 0] = await client.relay.write({ op: "add", collection: "marks", fields: { n } })
  return key
}

export const setMark = (client: RoomSocket, key: number) =>
  client.relay.write({ op: "set", collection: "marks", key, fields: { n: 7 } })

/** A record that nobody owns is given at once; one that is not there is not. */
export const isThere = (client: RoomSocket, key: number): Promise<boolean> =>
  client.relay.own("marks", key)
