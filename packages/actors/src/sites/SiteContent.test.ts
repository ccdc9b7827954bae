import { gunzipSync, brotliDecompressSync } from "node:zlib"

import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { contentHash, packContent } from "./SiteContent.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const text = (bytes: number) =>
  new TextEncoder().encode("let a = 1\n".repeat(bytes).slice(0, bytes))

it.effect("[C-357] hashes as every tool does", () =>
  Effect.gen(function* () {
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    expect(yield* contentHash(new Uint8Array())).toBe(empty)
  })
)

it.effect("[C-359] compresses text of more than 1 KiB once, where it becomes smaller", () =>
  Effect.gen(function* () {
    const bytes = text(1025)
    const key = { projectId, hash: yield* contentHash(bytes) }
    const packed = yield* packContent(key, bytes, true)
    const [identity, gzip, brotli] = packed.objects
    expect(packed.objects.map((object) => object.key)).toEqual([
      `sites/${projectId}/${key.hash}`,
      `sites/${projectId}/${key.hash}.gz`,
      `sites/${projectId}/${key.hash}.br`
    ])
    expect(identity?.bytes).toBe(bytes)
    expect(gunzipSync(gzip?.bytes ?? "")).toEqual(Buffer.from(bytes))
    expect(brotliDecompressSync(brotli?.bytes ?? "")).toEqual(Buffer.from(bytes))
    expect([packed.gzipBytes, packed.brotliBytes]).toEqual([
      gzip?.bytes.length,
      brotli?.bytes.length
    ])
  })
)

it.effect.each([
  ["text of 1 KiB", text(1024), true],
  ["an image", text(4096), false],
  ["bytes that do not become smaller", crypto.getRandomValues(new Uint8Array(4096)), true]
] as const)("[C-359] keeps as it is: %s", ([, bytes, isCompressible]) =>
  Effect.gen(function* () {
    const packed = yield* packContent(
      { projectId, hash: yield* contentHash(bytes) },
      bytes,
      isCompressible
    )
    expect(packed.objects).toHaveLength(1)
    expect([packed.bytes, packed.gzipBytes, packed.brotliBytes]).toEqual([bytes.length, null, null])
  })
)
