"""What is known of rules, of the functions of torch and other libraries, and of versions."""
