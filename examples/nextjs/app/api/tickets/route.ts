// Stores what somebody wrote without personal data; here it is the answer.

import { protectValue } from "textveil";

export async function POST(request: Request): Promise<Response> {
  const ticket = await protectValue(await request.json());
  return Response.json({ stored: ticket }, { status: 201 });
}
