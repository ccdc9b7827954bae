// Headings of the specification that are long, or that several files share.

export const roomRowHeading =
  "Resources and their fields / Room list row (element of the list response)"
export const roomDetailHeading =
  "Resources and their fields / Room detail (single-room read; also the PATCH response)"
export const settingsHeading = "Resources and their fields / Project settings (PATCH body)"
export const projectFileHeading = "Resources and their fields / Project file `service.json`"
export const keyRoutesHeading =
  "Endpoints / Project API keys (login credential required; an API key is refused)"
export const roomRoutesHeading =
  "Endpoints / Rooms (API key or equivalent; scope in the second column)"
export const settingsRoutesHeading = "Endpoints / Project settings and caps (login credential)"
export const openRoutesHeading = "Endpoints / Open endpoints (project id is the credential)"
export const roomLimitsHeading = "Limits / Connection and room limits (per server unless noted)"
