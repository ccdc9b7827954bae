import { accountTables } from "@atrium/actors/accounts/AccountTables"
import { AccountApi } from "@atrium/domain/accounts/AccountApi"
import { PlayersApi } from "@atrium/domain/accounts/PlayersApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { AccountHandlers, accountRate, linkCodeRate, linkRate } from "./account.ts"
import { EndedPlayers } from "./EndedPlayers.ts"
import { PlayersHandlers } from "./players.ts"

export const feature = defineFeature({
  noun: "accounts",
  contract: [AccountApi, PlayersApi],
  handlers: Layer.merge(AccountHandlers, PlayersHandlers),
  layers: EndedPlayers.layer,
  rates: [linkCodeRate, linkRate, accountRate],
  tables: accountTables
})
