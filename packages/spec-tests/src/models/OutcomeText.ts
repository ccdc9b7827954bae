import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { type Answer, indefinite } from "./Machine.ts"

const unclear: ReadonlySet<number> = new Set([503, 504])

/** An answer as models compare it: `ok`, `409 E_ROOM_IN_USE`, or indefinite. */
export const outcomeText = ({ codecs }: Pick<Trial, "codecs">, answer: HttpAnswer): Answer => {
  if (answer.status >= 200 && answer.status < 300) return "ok"
  if (unclear.has(answer.status)) return indefinite
  const code = codecs.error(answer)?.code
  return code === undefined ? String(answer.status) : `${answer.status} ${code}`
}
