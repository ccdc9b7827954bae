import { isRefusal } from "../check/Answers.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { rowOf } from "./Section.ts"

/** A room route let the caller through: it did what was asked, or knows of no such room. */
export const isReached = (trial: Pick<Trial, "codecs">, answer: HttpAnswer): void => {
  if (answer.status >= 200 && answer.status < 300) return
  isRefusal(trial, answer, rowOf("error", "rooms.get.not-found"))
}
