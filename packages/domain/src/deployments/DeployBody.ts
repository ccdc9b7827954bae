import { Result } from "effect"

import { type DeclaredSettings, readSettings } from "../projects/DeclaredSettings.ts"

/** A deployment as it travels: the settings come first in its body, as JSON, the bundle after them. */
export interface DeployBody {
  readonly settings: DeclaredSettings
  readonly bundle: Uint8Array
}

/** The body, and how many of its first bytes are the settings; none = the body is the bundle. */
export interface WrittenDeploy {
  readonly body: Uint8Array
  readonly settingsBytes: number
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Writes a deployment. Source: C-321. */
export const writeDeploy = ({ settings, bundle }: DeployBody): WrittenDeploy => {
  if (Object.keys(settings).length === 0) return { body: bundle, settingsBytes: 0 }
  const text = new TextEncoder().encode(JSON.stringify(settings))
  const body = new Uint8Array(text.length + bundle.length)
  body.set(text)
  body.set(bundle, text.length)
  return { body, settingsBytes: text.length }
}

/** Reads it again; fails with what is wrong with the settings. The bundle is not copied. */
export const readDeploy = ({
  body,
  settingsBytes
}: WrittenDeploy): Result.Result<DeployBody, string> => {
  if (settingsBytes === 0) return Result.succeed({ settings: {}, bundle: body })
  if (settingsBytes > body.length) {
    return Result.fail(`settingsBytes: the body has ${body.length} bytes`)
  }
  const bundle = body.subarray(settingsBytes)
  return Result.try({
    try: (): unknown => JSON.parse(utf8.decode(body.subarray(0, settingsBytes))),
    catch: () => "settings: not JSON"
  }).pipe(
    Result.flatMap(readSettings),
    Result.map((settings) => ({ settings, bundle }))
  )
}
