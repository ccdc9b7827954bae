import { accountTables } from "@atrium/actors/accounts/AccountTables"
import { AccountApi } from "@atrium/domain/accounts/AccountApi"

import { defineFeature } from "../defineFeature.ts"
import { AccountHandlers, accountRate, linkCodeRate, linkRate } from "./account.ts"
import { EndedPlayers } from "./EndedPlayers.ts"

export const feature = defineFeature({
  noun: "accounts",
  contract: [AccountApi],
  handlers: AccountHandlers,
  layers: EndedPlayers.layer,
  rates: [linkCodeRate, linkRate, accountRate],
  tables: accountTables
})
