import { EventReader, type StreamEvent } from "./EventReader.ts"
import { heard, noAnswer, ownHeaders, type Refusal, refusalOf } from "./Service.ts"

/** What a stream is, as the reader of a page sees it. */
export type FollowState = "connecting" | "live" | "paused" | Refusal

export interface Following {
  readonly path: string
  /** A new answer begins: it tells everything anew, unless it resumes by the id of the last event. */
  readonly onBegin: () => void
  readonly onEvents: (events: ReadonlyArray<StreamEvent>) => void
  readonly onState: (state: FollowState) => void
  /** An older service gives the list as it is now, and no stream. Absent = there is no such list. */
  readonly onWhole?: (list: unknown) => void
  /** Goes on behind the last event that had an id. */
  readonly resumes?: boolean
}

/** Refusals that the next request meets, too. */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 405])

const [shortestMs, longestMs] = [500, 16_000]
/** A list that does not come by itself is asked for again after this. */
const polledMs = 10_000

/**
 * Follows a stream of events until it is stopped. It asks again when an answer ends, later and later where
 * the service does not answer. A page that nobody sees holds no connection: a browser has six for a service.
 */
export const follow = (following: Following): (() => void) => {
  let stopped = false
  let failures = 0
  let lastId: string | null = null
  let abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const once = async (): Promise<Refusal | null> => {
    const answer = await fetch(following.path, {
      headers: {
        ...ownHeaders,
        accept: "text/event-stream",
        ...(lastId === null ? {} : { "last-event-id": lastId })
      },
      signal: abort.signal
    }).catch(() => null)
    if (answer === null) return noAnswer
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
      failures = 0
      const events = reader.read(part.value)
      const last = events.findLast(({ id }) => id !== undefined)
      if (following.resumes === true && last?.id !== undefined) lastId = last.id
      if (events.length > 0) following.onEvents(events)
    }
  }

  const run = async (): Promise<void> => {
    if (stopped || document.hidden) return
    following.onState("connecting")
    const refusal = await once()
    if (stopped || abort.signal.aborted) return
    if (refusal !== null) {
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
    if (document.hidden) following.onState("paused")
    else void run()
  }
  document.addEventListener("visibilitychange", seen)
  void run()
  return () => {
    stopped = true
    document.removeEventListener("visibilitychange", seen)
    clearTimeout(timer)
    abort.abort()
  }
}

const unfollowed: Refusal = {
  _tag: "Refused",
  status: 200,
  code: "not live",
  message: "This service tells no changes of the list: it is read again every ten seconds.",
  retryAfterMs: polledMs
}

/** Doubles with each failure, and no two pages come at the same moment. */
const pauseMs = (failures: number, leastMs: number): number => {
  const ms = Math.min(longestMs, shortestMs * 2 ** Math.max(0, failures - 1))
  // oxlint-disable-next-line no-restricted-properties -- it spreads requests, and decides nothing
  return Math.max(leastMs, ms * (0.75 + Math.random() / 2))
}
