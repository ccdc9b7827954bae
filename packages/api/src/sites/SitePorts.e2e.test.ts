import { expect, it } from "vitest"

import { keptPort } from "../testing/KeptPorts.ts"
import { call, makeHome, makeProject } from "../testing/RunningService.ts"
import { siteSteps } from "../testing/SiteSteps.ts"

it("[C-358] gives each site a port of its own, where there are no names", async () => {
  const from = await keptPort(2)
  const home = await makeHome()
  try {
    const env = { ATRIUM_STATIC_PORTS: `${from}-${from + 1}` }
    const service = await home.start({ env })
    const urls = []
    for (const content of ["one", "two"]) {
      const project = await makeProject(service.url, service.token)
      const deployed = await siteSteps(service, () => project).deploy({ "index.html": content })
      urls.push(String(deployed["url"]))
      const answer = await fetch(String(deployed["url"]))
      expect([answer.status, await answer.text()]).toEqual([200, content])
    }
    expect(urls).toEqual([`http://127.0.0.1:${from}`, `http://127.0.0.1:${from + 1}`])
    expect((await fetch(`${urls[0]}/v1/projects`)).status).toBe(404)
    expect((await fetch(`${urls[0]}/health`)).status).toBe(404)
    const project = await makeProject(service.url, service.token)
    const refused = await call(service.url, `/v1/projects/${project}/site/uploads`, {
      token: service.token,
      body: { files: [{ path: "a", hash: "0".repeat(64), bytes: 1 }] }
    })
    expect([refused.status, Object(refused.body["error"]).code]).toEqual([409, "E_SITE_PORTS"])
    expect(await service.stop()).toBe(0)
  } finally {
    await home.remove()
  }
})
