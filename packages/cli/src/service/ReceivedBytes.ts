import { Effect, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"

import { sizeText } from "../terminal/Sizes.ts"

/** The bytes of an answer, and how far they are. */
export const makeReceived = () => {
  let [bytes, all] = [0, 0]
  return {
    /** `1.2 MiB of 3.0 MiB`; without the latter as long as nothing says how many come. */
    text: (): string => (all > 0 ? `${sizeText(bytes)} of ${sizeText(all)}` : sizeText(bytes)),
    read: Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
      all = Number(response.headers["content-length"] ?? 0)
      const parts: Array<Uint8Array> = []
      const took = (part: Uint8Array): void => {
        parts.push(part)
        bytes += part.byteLength
      }
      yield* Stream.runForEach(response.stream, (part) => Effect.sync(() => took(part)))
      const whole: Uint8Array = Buffer.concat(parts)
      return whole
    })
  }
}
