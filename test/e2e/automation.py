"""As automation.mjs for programs in Python: operations by the Automation API, a request as JSON, one line of JSON for each."""

import json
import runpy
import sys
from pulumi import automation

request = json.loads(sys.argv[1])


def program():
    runpy.run_path(request["entry"], run_name="__main__")


stack = automation.create_or_select_stack(
    request["stack"], project_name=request["project"], program=program, work_dir=request["folder"]
)
for key, value in request.get("config", {}).items():
    stack.set_config(key, automation.ConfigValue(value))

options = {"on_output": lambda text: print(text, file=sys.stderr), "color": "never"}
if "parallel" in request:
    options["parallel"] = request["parallel"]
for verb in request["verbs"]:
    steps = {}

    def hear(event):
        # A replacement is told as three steps; the one called `replace` stands for them.
        parts = ["create-replacement", "delete-replaced"]
        for told in (event.resource_pre_event, event.res_outputs_event):
            if told and not told.metadata.type.startswith("pulumi:") and told.metadata.op not in parts:
                steps[told.metadata.urn.split("::")[-1]] = told.metadata.op

    result = getattr(stack, verb)(on_event=hear, **options)
    told = {"plan": steps, "outputs": {name: one.value for name, one in getattr(result, "outputs", {}).items()}}
    if request.get("states") and verb != "preview":
        told["resources"] = stack.export_stack().deployment.get("resources", [])
    print(json.dumps(told), flush=True)
