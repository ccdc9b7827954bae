import { Result } from "effect"
import { expect, it } from "vitest"

import { readDeploy, writeDeploy } from "./DeployBody.ts"

const bundle = new Uint8Array([1, 2, 3])
const read = (text: string, settingsBytes = Buffer.byteLength(text)) =>
  readDeploy({ body: Buffer.concat([Buffer.from(text), bundle]), settingsBytes })

it("[C-321] what is written is read again, and without settings the body is the bundle", () => {
  const settings = { queues: { ä: { size: 3 } }, audienceRole: null, origins: ["*"] }
  for (const each of [{ queues: {}, preRelease: true, origins: [] }, { audienceRole: null }]) {
    const written = writeDeploy({ settings: each, bundle })
    expect(readDeploy(written)).toEqual(Result.succeed({ settings: each, bundle }))
  }
  expect(writeDeploy({ settings: {}, bundle })).toEqual({ body: bundle, settingsBytes: 0 })
  expect(readDeploy({ body: bundle, settingsBytes: 0 })).toEqual(
    Result.succeed({ settings: {}, bundle })
  )
  expect(Result.isFailure(readDeploy(writeDeploy({ settings, bundle })))).toBe(true)
})

it.each<readonly [text: string, bytes: number | undefined, fault: string]>([
  ["{}", 6, "settingsBytes: the body has 5 bytes"],
  ["{", undefined, "settings: not JSON"],
  ["{} {}", undefined, "settings: not JSON"],
  ['"\xff', 2, "settings: not JSON"],
  ['{"name":"x"}', undefined, "unknown field: name"],
  ['{"vmMemMib":256}', undefined, "unknown field: vmMemMib"],
  [
    '{"queues":{"q":{"size":1}}}',
    undefined,
    "field queues.q.size: must be a whole number from 2 to 64"
  ]
])("[C-321] %s is refused", (text, bytes, fault) => {
  expect(read(text, bytes)).toEqual(Result.fail(fault))
})
