import { ClientLimits } from "@atrium/wire/client/ClientLimits"

import { RequestError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import { surface, type Unsubscribe } from "./Listeners.ts"
import type { Cancel } from "./PlatformPort.ts"

/** Refusals that pass: the service is asked again. */
const passing: ReadonlySet<string> = new Set([
  "E_UNREACHABLE",
  "E_RATE_LIMITED",
  "E_NOT_READY",
  "E_INTERNAL"
])

export interface Polling {
  /** One question. @returns the wait before the next one, in ms */
  ask(signal: AbortSignal): Promise<number>
  /** A refusal that does not pass; nothing is asked any more. */
  failed(error: unknown): void
}

/**
 * Asks again and again, until it is told to stop. After a refusal that passes it waits for as long as the
 * service says, and ever longer up to a bound.
 */
export const poll = (port: ClientPort, { ask, failed }: Polling): Unsubscribe => {
  const stopped = new AbortController()
  let cancel: Cancel = () => undefined
  let refusals = 0
  const next = (waitMs: number): void => {
    if (!stopped.signal.aborted) cancel = port.after(waitMs, () => void turn())
  }
  const turn = async (): Promise<void> => {
    try {
      const waitMs = await ask(stopped.signal)
      refusals = 0
      next(waitMs)
    } catch (error) {
      if (stopped.signal.aborted) return
      if (!(error instanceof RequestError) || !passing.has(error.code)) {
        stopped.abort()
        return failed(error)
      }
      next(Math.max(error.retryAfterMs ?? 0, backOffMs(refusals++, port.random())))
    }
  }
  void turn()
  return () => {
    stopped.abort()
    cancel()
  }
}

/** Between half of a span and the whole, so that clients that were refused together come back apart. */
const backOffMs = (refusals: number, random: number): number => {
  const { pollBackoffBase, pollBackoffCap } = ClientLimits
  const boundMs = Math.min(pollBackoffCap.ms, pollBackoffBase.ms * 2 ** refusals)
  return boundMs * (0.5 + random / 2)
}

/** What becomes of an error that a caller did not want to hear of. */
export const toldTo =
  (onError: ((error: unknown) => void) | undefined) =>
  (error: unknown): void => {
    if (onError === undefined) surface(error)
    else onError(error)
  }
