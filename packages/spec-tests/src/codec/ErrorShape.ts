import { Schema } from "effect"

import type { HttpAnswer } from "../trial/HttpProbe.ts"

const ErrorBody = Schema.Struct({
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
})
const read = Schema.decodeUnknownOption(ErrorBody)

/** D-02. */
export const errorOf = (answer: HttpAnswer) => {
  const body = read(answer.json)
  return body._tag === "Some" ? body.value.error : null
}
