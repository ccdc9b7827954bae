import { type ReadonlySignal, useSignal } from "@preact/signals"

import { type Answer, ask, type Refusal, type Request } from "./Service.ts"

/** A change that a reader asks for, one at a time. */
export interface Acts {
  readonly works: ReadonlySignal<boolean>
  /** Why the last change was refused; `null` = it was not. */
  readonly refused: ReadonlySignal<Refusal | null>
  /** @returns the answer; `null` = it was refused, or another change is under way */
  readonly act: <A>(request: Request) => Promise<A | null>
}

/** Asks the service for changes, and keeps the refusal of the last one in sight. */
export const useActs = (): Acts => {
  const works = useSignal(false)
  const refused = useSignal<Refusal | null>(null)
  const act = async <A>(request: Request): Promise<A | null> => {
    if (works.value) return null
    works.value = true
    const answer = await ask<A>(request)
    works.value = false
    refused.value = answer._tag === "Refused" ? answer : null
    return answer._tag === "There" ? answer.value : null
  }
  return { works, refused, act }
}

/** The refusal of a change; `null` = it is done. */
export const refusalIn = <A>(answer: Answer<A>): Refusal | null =>
  answer._tag === "Refused" ? answer : null
