@node "%~dp0pulumi-analyzer-policy-plumbline" %*
