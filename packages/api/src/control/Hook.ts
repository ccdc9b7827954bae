import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Data, Effect, Schema } from "effect"

/** A hook cannot carry out its input: 400, with the name of the field. */
export class HookRefused extends Data.TaggedError("HookRefused")<{ readonly message: string }> {}

/** "Expected … at ["ms"]" becomes "ms: Expected …". */
const fieldFirst = (message: string): string => {
  const mark = /\sat \["?/.exec(message)
  if (mark === null) return serviceMessage(`body: ${message}`)
  const [field] = message.slice(mark.index + mark[0].length).split(/["\]]/, 1)
  return serviceMessage(`${field}: ${message.slice(0, mark.index).trimEnd()}`)
}

/** One verb of a hook: from the JSON of a body to that of an answer. */
export type Verb = (body: unknown) => Effect.Effect<object, HookRefused>

/** By path below `/_control/`: `clock/now`. */
export type Hooks = Readonly<Record<string, Verb>>

/** A verb whose body has this shape, and nothing else in it. */
export const verb =
  <A>(body: Schema.Decoder<A>, answer: (body: A) => Effect.Effect<object, HookRefused>): Verb =>
  (given) =>
    Schema.decodeUnknownEffect(body)(given, { onExcessProperty: "error" }).pipe(
      Effect.mapError(({ message }) => new HookRefused({ message: fieldFirst(message) })),
      Effect.flatMap(answer)
    )
