import { packerEntry } from "@atrium/actors/process/ProcessPool"

let made: Promise<Uint8Array> | null = null

/** The program that packs chunks; it is made once, unless that fails. */
export const packerCode = async (): Promise<Uint8Array> => {
  made ??= make()
  try {
    return await made
  } catch (error) {
    made = null
    throw error
  }
}

/** The bundler is loaded here, as many services never store a replay. */
const make = async (): Promise<Uint8Array> => {
  const { bundleProgram, withBundler } = await import("@atrium/sdk/bundle")
  return await withBundler(() => bundleProgram(packerEntry()))
}
