/** The bytes of one client since it came. */
interface ClientBytes {
  readonly clientId: string
  readonly ingressBytes: number
  readonly egressBytes: number
}

interface SeriesPoint {
  readonly atMs: number
  readonly clients: number
  /** Bytes a second since the point before; `null` = there is none, or it is too long ago. */
  readonly inPerSecond: number | null
  readonly outPerSecond: number | null
}

/** What a page has seen of the clients of a room, since it was opened. */
export interface ClientSeries {
  readonly points: ReadonlyArray<SeriesPoint>
  readonly last: ReadonlyMap<string, ClientBytes>
}

export const noSeries: ClientSeries = { points: [], last: new Map() }

/** Ten minutes, at a look every two seconds. */
const pointsMax = 300
/** Past this a span was not measured: the page was in the background. */
const gapMs = 10_000

/**
 * Adds a look at the clients. Bytes of a client count from the look before; those of one that came meanwhile count
 * whole, and what one that left had since then is not known.
 */
export const withLook = (
  { points, last }: ClientSeries,
  clients: ReadonlyArray<ClientBytes>,
  atMs: number
): ClientSeries => {
  const spanMs = atMs - (points.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY)
  const perSecond = (part: "ingressBytes" | "egressBytes"): number | null => {
    if (spanMs <= 0 || spanMs > gapMs) return null
    const bytes = clients.reduce(
      (sum, client) => sum + Math.max(0, client[part] - (last.get(client.clientId)?.[part] ?? 0)),
      0
    )
    return (bytes * 1000) / spanMs
  }
  const point: SeriesPoint = {
    atMs,
    clients: clients.length,
    inPerSecond: perSecond("ingressBytes"),
    outPerSecond: perSecond("egressBytes")
  }
  return {
    points: [...points, point].slice(-pointsMax),
    last: new Map(clients.map((client) => [client.clientId, client]))
  }
}
