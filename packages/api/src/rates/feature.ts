import { RateEntity } from "@atrium/actors/rates/RateEntity"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({ noun: "rates", actors: RateEntity })
