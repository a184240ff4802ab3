error "a hidden file is not a scenario"
