import { fileURLToPath } from "node:url"

import { call, deploy, type RunningService } from "@atrium/api/testing/RunningService"

import type { Stage } from "./CaseContext.ts"
import { hostileBundle } from "./HostileBundle.ts"

const identityOf = async (url: string, project: string): Promise<string> => {
  const { body } = await call(url, "/v1/identity", { body: { project } })
  const token = body["token"]
  if (typeof token !== "string") throw new Error(`no identity: ${JSON.stringify(body)}`)
  return token
}

const makeProject = async (service: RunningService, name: string): Promise<string> => {
  const { body } = await call(service.url, "/v1/projects", { token: service.token, body: { name } })
  const id = body["id"]
  if (typeof id !== "string") throw new Error(`no project: ${JSON.stringify(body)}`)
  return id
}

const rooms = fileURLToPath(new URL("rooms/", import.meta.url))

const deployHostile = async (service: RunningService, project: string): Promise<void> => {
  const answer = await fetch(`${service.url}/v1/projects/${project}/deployments`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.token}`,
      "content-type": "application/javascript"
    },
    body: new Uint8Array(hostileBundle())
  })
  if (!answer.ok) throw new Error(`not deployed: ${await answer.text()}`)
}

/** Projects with the rooms that are fuzzed and those that are hostile, and what lets clients in. */
export const makeStage = async (service: RunningService): Promise<Stage> => {
  const project = await makeProject(service, "fuzz")
  const deployed = await deploy({ ...service, project }, ["fuzzed.ts"], rooms)
  if (deployed.status >= 300) throw new Error(`not deployed: ${JSON.stringify(deployed)}`)
  const hostileProject = await makeProject(service, "hostile")
  await deployHostile(service, hostileProject)
  return {
    url: service.url,
    project,
    hostileProject,
    hostileToken: await identityOf(service.url, hostileProject),
    token: await identityOf(service.url, project),
    foreignToken: await identityOf(service.url, service.project)
  }
}
