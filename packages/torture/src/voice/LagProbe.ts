import type { ServiceInspector } from "../soak/ServiceInspector.ts"

const EveryMs = 5

const begin = `{
  const probe = (globalThis.lagProbe = { lateMs: [] })
  const arm = () => {
    const armedAtMs = performance.now()
    probe.timer = setTimeout(() => {
      probe.lateMs.push(performance.now() - armedAtMs - ${EveryMs})
      arm()
    }, ${EveryMs})
  }
  arm()
}
"begun"`

const take = "JSON.stringify(globalThis.lagProbe.lateMs.splice(0))"

/** How late timers of the service's event loop are. */
export interface LagProbe {
  /** The lateness of each timer since the last call, in milliseconds. */
  lateMs(): Promise<ReadonlyArray<number>>
}

/** Puts a timer into the service that comes again and again. */
export const probeLag = async (inside: ServiceInspector): Promise<LagProbe> => {
  await inside.evaluate(begin)
  return { lateMs: async () => JSON.parse(await inside.evaluate(take)) }
}
