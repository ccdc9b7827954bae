import type { RunningService } from "./RunningService.ts"

export interface ControlReply {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** The control listener of a service that was started with `--control-port`. */
export interface ControlUnderTest {
  readonly url: string
  readonly token: string
  /** Posts to a hook: `clock/now`. */
  ask(hook: string, body?: unknown, token?: string): Promise<ControlReply>
}

export const controlOf = (service: Pick<RunningService, "output">): ControlUnderTest => {
  const [, url, token] = /^control (\S+) (\S+)$/m.exec(service.output()) ?? []
  if (url === undefined || token === undefined) throw new Error("no control line")
  const ask = async (hook: string, body: unknown = {}, bearer = token): Promise<ControlReply> => {
    const response = await fetch(`${url}/_control/${hook}`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}` },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: Object(await response.json()) }
  }
  return { url, token, ask }
}
