import { Console, Effect } from "effect"
import { Command } from "effect/cli"

import { json, url } from "../projects/ProjectParameters.ts"
import { openService } from "../service/OpenService.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { pairsFor } from "../terminal/Table.ts"

/** `atrium whoami`: the account that commands work for. It reads no project file. */
export const whoami = Command.make(
  "whoami",
  { url, json },
  Effect.fn("atrium.whoami")(function* (input) {
    const settings = yield* loginSettings(input.url)
    const { ask, me } = yield* openService(settings)
    const account = yield* ask(me.read({ query: {} }))
    const { origin, credential } = settings
    const text = yield* pairsFor([
      ["name", account.name],
      ["account", account.accountId],
      ["service", origin],
      ["by", credential.source === "login" ? "atrium login" : credential.source]
    ])
    yield* Console.log(input.json ? JSON.stringify({ ...account, service: origin }) : text)
  })
)
