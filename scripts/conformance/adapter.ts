import { join } from "node:path"
import { createInterface } from "node:readline"

import { bundleRooms, endBundler } from "@atrium/sdk/bundle"

import { schemaRefusal } from "./DescribedSchema.ts"
import { fateOf, type LibraryClient } from "./LibraryClient.ts"
import { type PredictedRoom, predictedRoom } from "./PredictedRoom.ts"

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
  readonly client?: LibraryClient
  readonly prediction?: PredictedRoom
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

let deployments = 0

/** Every deployment makes a version, as the suite asks, also of a fixture that is the current one. */
const deployed = async ({
  baseUrl,
  project,
  login,
  fixture
}: NonNullable<Request["deploy"]>): Promise<void> => {
  const response = await fetch(`${baseUrl}/v1/projects/${project}/deployments`, {
    method: "POST",
    headers: { authorization: `Bearer ${login}`, "content-type": "application/javascript" },
    body: Buffer.concat([await bundleOf(fixture), Buffer.from(`\n// ${++deployments}`)])
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the deployment was refused: ${response.status} ${text}`)
}

/** The answer, but for the id. */
const answerTo = async ({ deploy, schema, client, prediction }: Request): Promise<object> => {
  if (prediction !== undefined) return { ok: true, result: await predictedRoom(prediction) }
  if (client !== undefined) return { ok: true, result: await fateOf(client) }
  if (schema !== undefined) {
    const error = schemaRefusal(schema.description)
    return error === null ? { ok: true } : { ok: false, error }
  }
  if (deploy === undefined)
    return { ok: false, error: "neither deploy, schema, client nor prediction" }
  await deployed(deploy)
  return { ok: true }
}

const lines = createInterface({ input: process.stdin })
lines.on("line", (line) => {
  // Only the suite writes here.
  const request = JSON.parse(line) as Request
  const refused = (cause: unknown): object => ({
    ok: false,
    error: String(cause instanceof Error ? cause.message : cause)
  })
  void answerTo(request)
    .catch(refused)
    .then((answer) => {
      process.stdout.write(`${JSON.stringify({ id: request.id, ...answer })}\n`)
    })
})
lines.on("close", () => void endBundler())
