/** What a service says about its rooms. */
export interface RoomCounts {
  /** On the server that was asked. */
  readonly awake: number
  readonly hibernated: number
}

/** Reads `GET /metrics`. */
export const roomCounts = async (url: string): Promise<RoomCounts> => {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) })
  return countsIn(await response.text())
}

/** Reads Prometheus' text format; a status that no room is in has no line. */
export const countsIn = (text: string): RoomCounts => ({
  awake: valueOf(text, /^atrium_rooms_awake (\S+)$/m),
  hibernated: valueOf(text, /^atrium_rooms\{(?:.*,)?status="hibernated"[^}]*\} (\S+)$/m)
})

const valueOf = (text: string, line: RegExp): number => Number(line.exec(text)?.[1] ?? 0)
