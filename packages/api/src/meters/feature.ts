import { CapWatch } from "@atrium/actors/meters/CapWatch"
import { MeterReporter } from "@atrium/actors/meters/MeterReporter"
import { meterTables } from "@atrium/actors/meters/MeterTables"
import { RateWatch } from "@atrium/actors/meters/RateWatch"
import { StorageMeter } from "@atrium/actors/meters/StorageMeter"
import { WallWatch } from "@atrium/actors/meters/WallWatch"
import { BillingApi } from "@atrium/domain/meters/BillingApi"
import { CapsApi } from "@atrium/domain/meters/CapsApi"
import { PlansApi } from "@atrium/domain/meters/PlansApi"
import { UsageApi } from "@atrium/domain/meters/UsageApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { BillingHandlers } from "./billing.ts"
import { CapsHandlers } from "./caps.ts"
import { PlansHandlers } from "./plans.ts"
import { UsageHandlers } from "./usage.ts"

export const feature = defineFeature({
  noun: "meters",
  loginPaths: ["/v1/billing"],
  contract: [BillingApi, CapsApi, PlansApi, UsageApi],
  handlers: Layer.mergeAll(BillingHandlers, CapsHandlers, PlansHandlers, UsageHandlers),
  tables: meterTables,
  control: [() => import("./MeterHooks.ts")],
  actors: Layer.mergeAll(WallWatch, RateWatch, CapWatch, MeterReporter, StorageMeter)
})
