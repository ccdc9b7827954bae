import { FleetReporter } from "@atrium/actors/fleet/FleetReporter"
import { fleetTables } from "@atrium/actors/fleet/FleetTables"
import { FleetApi } from "@atrium/domain/fleet/FleetApi"

import { defineFeature } from "../defineFeature.ts"
import { FleetHandlers } from "./fleet.ts"

export const feature = defineFeature({
  noun: "fleet",
  loginPaths: ["/v1/fleet"],
  contract: [FleetApi],
  handlers: FleetHandlers,
  tables: fleetTables,
  actors: FleetReporter
})
