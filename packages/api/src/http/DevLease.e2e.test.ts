import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { codeOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const ask = (path: string, request: { readonly method: string; readonly body: object }) =>
  call(service.url, `/v1/projects${path}`, { token: service.token, ...request })

it("[C-227] a second folder is refused and told the first one; --take-over, the end and six seconds free the project", async () => {
  const id = service.project
  const lease = (holder: string, body: object) =>
    ask(`/${id}/dev-lease`, { method: "PUT", body: { holder, ...body } })
  const arena = { folder: "/games/arena" }
  const chess = { folder: "/games/chess" }
  const endOf = ({ body }: { readonly body: Record<string, unknown> }): number =>
    Date.parse(String(body["expiresAt"]))
  const heldBy = (folder: string) => ({
    status: 409,
    body: {
      error: {
        code: "E_DEV_HELD",
        message: `atrium dev of another folder has the project: ${folder}`
      }
    }
  })
  const first = await lease("first", arena)
  expect(first.status).toBe(200)
  expect(await lease("second", chess)).toEqual(heldBy("/games/arena"))
  const renewed = await lease("first", arena)
  expect(endOf(renewed)).toBeGreaterThanOrEqual(endOf(first))
  expect((await lease("second", { ...chess, takeOver: true })).status).toBe(200)
  expect(await lease("first", arena)).toEqual(heldBy("/games/chess"))
  // A holder that has lost the lease cannot give it up for the other one.
  expect(await lease("first", { folder: null })).toEqual({
    status: 200,
    body: { expiresAt: null }
  })
  expect(await lease("first", arena)).toEqual(heldBy("/games/chess"))
  expect((await lease("second", { folder: null })).status).toBe(200)
  const last = await lease("first", arena)
  expect(last.status).toBe(200)
  // It is renewed no more: the project is free when the lease is over, and not before.
  const next = await until("the lease is over", async () => {
    const answer = await lease("second", chess)
    return answer.status === 200 && answer
  })
  expect(endOf(next) - DeploymentLimits.devLease.ms).toBeGreaterThanOrEqual(endOf(last))
  for (const body of [{ folder: "" }, { folder: "/a", takeOver: "yes" }, {}]) {
    expect(codeOf(await lease("second", body))).toBe("E_BAD_REQUEST")
  }
  expect(codeOf(await lease("x".repeat(DeploymentLimits.devHolderChars.max + 1), arena))).toBe(
    "E_BAD_REQUEST"
  )
  expect(
    (await lease("second", { folder: "f".repeat(DeploymentLimits.devFolderChars.max) })).status
  ).toBe(200)
  const tooLong = { folder: "f".repeat(DeploymentLimits.devFolderChars.max + 1) }
  expect(codeOf(await lease("second", tooLong))).toBe("E_BAD_REQUEST")
})
