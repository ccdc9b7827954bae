/** What a reconnection needs: the room, and the secret of the session. */
export interface ReconnectionToken {
  readonly roomId: string
  readonly resume: string
}

// A room id never holds a slash (D-05), so the first one divides.
/** One string to keep, for example in sessionStorage, and to give to `client.reconnect`. */
export const formatReconnectionToken = (token: ReconnectionToken): string =>
  `${token.roomId}/${token.resume}`

/** Reads what `formatReconnectionToken` wrote, or `null`. */
export const parseReconnectionToken = (text: string): ReconnectionToken | null => {
  const at = text.indexOf("/")
  if (at < 1 || at === text.length - 1) return null
  return { roomId: text.slice(0, at), resume: text.slice(at + 1) }
}
