/** The path of a room in the API. */
export const roomPath = (project: string, room: string): string =>
  `/v1/projects/${encodeURIComponent(project)}/rooms/${encodeURIComponent(room)}`
