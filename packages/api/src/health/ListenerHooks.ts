import { Effect, Schema } from "effect"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"
import { listeningAddresses } from "../control/ListeningAddresses.ts"
import { ServiceFacts } from "../welcome/ServiceFacts.ts"

/** Every address at which the service listens. The router, which takes the clients of rooms, has one of them. */
export const hooks = Effect.gen(function* () {
  const { url } = yield* ServiceFacts
  const port = Number(new URL(url).port)
  const list = Effect.try({
    try: () =>
      listeningAddresses(process.pid).map((address) => ({
        address,
        router: address.endsWith(`:${port}`)
      })),
    catch: (cause) => new HookRefused({ message: `body: /proc cannot be read: ${String(cause)}` })
  })
  const verbs: Hooks = {
    "listeners/list": verb(Schema.Struct({}), () =>
      Effect.map(list, (listeners) => ({ listeners }))
    )
  }
  return verbs
})
