import { join } from "node:path"
import { createInterface } from "node:readline"

import { bundleRooms, endBundler } from "@atrium/sdk/bundle"

import { schemaRefusal } from "./DescribedSchema.ts"

// The adapter process of docs/conformance-adapter.md: one JSON line asks, one answers.

const fixtures = join(import.meta.dirname, "../../packages/spec-tests/fixtures")

interface Request {
  readonly id: number
  readonly deploy?: {
    readonly baseUrl: string
    readonly project: string
    readonly login: string
    readonly fixture: string
  }
  readonly schema?: { readonly description: unknown }
}

const bundles = new Map<string, Promise<Uint8Array>>()

/** Each fixture is bundled once. */
const bundleOf = (fixture: string): Promise<Uint8Array> => {
  if (!/^[a-z]+$/.test(fixture)) return Promise.reject(new Error(`no fixture ${fixture}`))
  const known =
    bundles.get(fixture) ??
    bundleRooms({ entries: [`${fixture}.ts`], resolveDir: fixtures }).then(({ bytes }) => bytes)
  bundles.set(fixture, known)
  return known
}

const deploy = async ({
  baseUrl,
  project,
  login,
  fixture
}: NonNullable<Request["deploy"]>): Promise<void> => {
  const response = await fetch(`${baseUrl}/v1/projects/${project}/deployments`, {
    method: "POST",
    headers: { authorization: `Bearer ${login}`, "content-type": "application/javascript" },
    body: Buffer.from(await bundleOf(fixture))
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the deployment was refused: ${response.status} ${text}`)
}

const answerTo = async (request: Request): Promise<string | null> => {
  try {
    if (request.schema !== undefined) return schemaRefusal(request.schema.description)
    if (request.deploy === undefined) return "neither deploy nor schema"
    await deploy(request.deploy)
    return null
  } catch (cause) {
    return String(cause instanceof Error ? cause.message : cause)
  }
}

const lines = createInterface({ input: process.stdin })
lines.on("line", (line) => {
  // Only the suite writes here.
  const request = JSON.parse(line) as Request
  void answerTo(request).then((error) => {
    const outcome = error === null ? { ok: true } : { ok: false, error }
    process.stdout.write(`${JSON.stringify({ id: request.id, ...outcome })}\n`)
  })
})
lines.on("close", () => void endBundler())
