import { expect, it } from "vitest"

import { codeOf, messageOf } from "../testing/RoomsUnderTest.ts"
import { deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

it("[D-54] a deploy of two room types that name one queue is refused", async () => {
  const refused = await deploy(service, ["rooms/queueTwice.ts"])
  expect([refused.status, codeOf(refused), messageOf(refused)]).toEqual([
    400,
    "E_BUNDLE_INVALID",
    "bundle: two room types name the queue duel"
  ])
})
