import { EventReader, type StreamEvent } from "./EventReader.ts"
import { heard, noAnswer, ownHeaders, type Refusal, refusalOf } from "./Service.ts"

/** The state of a stream, as a page shows it. */
export type FollowState = "connecting" | "live" | "paused" | Refusal

export interface Following {
  readonly path: string
  /** A new answer begins: it tells everything anew, unless it resumes by the id of the last event. */
  readonly onBegin: () => void
  readonly onEvents: (events: ReadonlyArray<StreamEvent>) => void
  readonly onState: (state: FollowState) => void
  /** An older service gives the list as it is now, and no stream. Absent = there is no such list. */
  readonly onWhole?: (list: unknown) => void
  /** The next request sends the last id as `last-event-id`, and the stream goes on behind that event. */
  readonly resumes?: boolean
}

/** Refusals that the next request meets, too. */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 405])

const [shortestMs, longestMs] = [500, 16_000]
/** The service tells a stream at least a `ping` every 15 seconds: after this time the connection is dead. */
const silentMs = 40_000
/** Time between two reads of a list that the service does not stream. */
const polledMs = 10_000

/**
 * Follows a stream of events until it is stopped. It asks again when an answer ends, later and later where
 * the service does not answer. A page that nobody sees holds no connection: a browser has six for a service.
 */
export const follow = (following: Following): (() => void) => {
  let failures = 0
  let lastId: string | null = null
  let abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const once = (own: AbortSignal): Promise<Refusal | null> =>
    whileHeard(own, (signal, onHeard) =>
      readAnswer(following, { signal, onHeard, lastId }, (events) => {
        failures = 0
        if (following.resumes === true) lastId = greatestId(lastId, events)
      })
    ).catch((error: unknown) => {
      reportError(error)
      return unread
    })

  const run = async (): Promise<void> => {
    if (document.hidden) return
    const own = abort.signal
    const refusal = await once(own)
    if (own.aborted) return
    if (refusal === null) following.onState("connecting")
    else {
      following.onState(refusal)
      if (lasting.has(refusal.status)) return
      if (refusal !== unfollowed) failures++
    }
    timer = setTimeout(() => void run(), pauseMs(failures, refusal?.retryAfterMs ?? 0))
  }

  const seen = (): void => {
    abort.abort()
    clearTimeout(timer)
    abort = new AbortController()
    following.onState(document.hidden ? "paused" : "connecting")
    void run()
  }
  document.addEventListener("visibilitychange", seen)
  following.onState("connecting")
  void run()
  return () => {
    document.removeEventListener("visibilitychange", seen)
    clearTimeout(timer)
    abort.abort()
  }
}

interface Connection {
  readonly signal: AbortSignal
  /** The service has said something: the connection lives. */
  readonly onHeard: () => void
  readonly lastId: string | null
}

/** Gives a request a signal, which its owner aborts, or a silence of the service. It is aborted at the end, too. */
const whileHeard = async <A>(
  own: AbortSignal,
  request: (signal: AbortSignal, onHeard: () => void) => Promise<A>
): Promise<A> => {
  const ends = new AbortController()
  const wait = () => setTimeout(() => ends.abort(), silentMs)
  let silence = wait()
  try {
    return await request(AbortSignal.any([own, ends.signal]), () => {
      clearTimeout(silence)
      silence = wait()
    })
  } finally {
    clearTimeout(silence)
    ends.abort()
  }
}

/** Asks once, and reads the answer to its end. @returns why there was none; `null` = a stream has ended */
const readAnswer = async (
  following: Following,
  { signal, onHeard, lastId }: Connection,
  onPart: (events: ReadonlyArray<StreamEvent>) => void
): Promise<Refusal | null> => {
  const answer = await fetch(following.path, {
    headers: {
      ...ownHeaders,
      accept: "text/event-stream",
      ...(lastId === null ? {} : { "last-event-id": lastId })
    },
    signal
  }).catch(() => null)
  if (answer === null) return noAnswer
  onHeard()
  heard(answer)
  if (!answer.ok || answer.body === null) return refusalOf(answer)
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    following.onWhole?.(await answer.json().catch(() => null))
    return unfollowed
  }
  const reader = new EventReader()
  const parts = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  following.onBegin()
  following.onState("live")
  for (;;) {
    const part = await parts.read().catch(() => null)
    if (part === null || part.done) return null
    onHeard()
    const events = reader.read(part.value)
    onPart(events)
    if (events.length > 0) following.onEvents(events)
  }
}

const unfollowed: Refusal = {
  _tag: "Refused",
  status: 200,
  code: "not live",
  message: "This service tells no changes of the list: it is read again every ten seconds.",
  retryAfterMs: polledMs
}

const unread: Refusal = {
  _tag: "Refused",
  status: 200,
  code: "not read",
  message: "This page cannot read what the service tells.",
  retryAfterMs: longestMs
}

/** Ids are numbers, and a stream does not tell them in their order. Source: C-424. */
const greatestId = (before: string | null, events: ReadonlyArray<StreamEvent>): string | null =>
  events.reduce(
    (greatest, { id }) =>
      id !== undefined && (greatest === null || Number(id) > Number(greatest)) ? id : greatest,
    before
  )

/** Doubles with each failure, and no two pages come at the same moment. */
const pauseMs = (failures: number, leastMs: number): number => {
  const ms = Math.min(longestMs, shortestMs * 2 ** Math.max(0, failures - 1))
  // oxlint-disable-next-line no-restricted-properties -- it spreads requests, and decides nothing
  return Math.max(leastMs, ms * (0.75 + Math.random() / 2))
}
